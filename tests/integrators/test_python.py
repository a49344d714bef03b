"""REST by a client that openapi-python-client made."""

import compileall
import importlib
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Account
from tests.integrators.conftest import run

# It knows bodies of images as plain bytes only.
_CONFIG = """\
project_name_override: adiuva-rest
package_name_override: adiuva_rest
post_hooks: []
content_type_overrides:
  image/png: application/octet-stream
  image/jpeg: application/octet-stream
  image/webp: application/octet-stream
"""


@pytest.fixture(scope="module")
def generated(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("python")
    config = folder / "config.yaml"
    config.write_text(_CONFIG)
    made = folder / "made"
    run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"),
            *("--path", documents / "openapi.json", "--config", config, "--output-path", made),
        ],
        cwd=folder,
    )
    return made


def test_it_compiles_and_talks(
    generated: Path, address: str, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compileall.compile_dir(generated, quiet=1)
    monkeypatch.syspath_prepend(generated)
    module = importlib.import_module
    question = module("adiuva_rest.models").ChatQuestion(message="What is due today?")

    with module("adiuva_rest").AuthenticatedClient(base_url=address, token=account.access) as client:
        me = module("adiuva_rest.api.accounts.get_account").sync(client=client)
        tokens = module("adiuva_rest.api.personal_tokens.list_personal_tokens").sync(client=client)
        refused = module("adiuva_rest.api.assistant.chat").sync_detailed(client=client, body=question)

    assert (me.email, tokens.results, tokens.next_) == (account.email, [], None)
    assert (refused.status_code, refused.parsed.code) == (409, "device_not_connected")
