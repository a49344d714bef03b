// Asks the browser for a passkey, and sends its answer with the form of the page.
(() => {
    const place = document.querySelector("[data-passkey]");
    if (!place || !window.PublicKeyCredential) return;
    const form = document.getElementById("factor-form");
    const button = place.querySelector("button");
    const alert = place.querySelector("[role=alert]");

    const bytes = (text) =>
        Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    const text = (buffer) =>
        btoa(String.fromCharCode(...new Uint8Array(buffer)))
            .replace(/\+/g, "-")
            .replace(/\//g, "_")
            .replace(/=+$/, "");
    const described = (known) => (known || []).map((each) => ({ ...each, id: bytes(each.id) }));

    const asked = () => {
        const options = JSON.parse(place.dataset.options);
        options.challenge = bytes(options.challenge);
        if (options.user) options.user.id = bytes(options.user.id);
        options.allowCredentials = described(options.allowCredentials);
        options.excludeCredentials = described(options.excludeCredentials);
        return { publicKey: options };
    };
    const told = (credential) => {
        const response = {};
        for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
            if (credential.response[name]) response[name] = text(credential.response[name]);
        }
        if (credential.response.getTransports) response.transports = credential.response.getTransports();
        const { id, type, authenticatorAttachment } = credential;
        const rawId = text(credential.rawId);
        return { id, rawId, type, authenticatorAttachment, response, clientExtensionResults: {} };
    };

    button.addEventListener("click", async () => {
        alert.textContent = "";
        button.disabled = true;
        try {
            form.elements.passkey.value = JSON.stringify(told(await navigator.credentials[place.dataset.passkey](asked())));
            form.submit();
        } catch {
            alert.textContent = "The passkey was not used: try again, or use a code.";
            button.disabled = false;
        }
    });
    place.hidden = false;
})();
