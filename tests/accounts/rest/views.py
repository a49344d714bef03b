"""Views that fail in every way, for tests of the error responses."""

from collections.abc import Callable

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.exceptions import ValidationError as ModelValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from rest_framework import exceptions, serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.errors import AccountError, AccountGone, LoginFailed, MissingMasterKey


class ItemSerializer(serializers.Serializer[object]):
    title = serializers.CharField()


class ListSerializer(serializers.Serializer[object]):
    items = ItemSerializer(many=True)


class Busy(exceptions.APIException):
    status_code = 503
    default_code = "busy"


ERRORS: dict[str, Callable[[], Exception]] = {
    "http404": lambda: Http404("No User matches the given query."),
    "denied": lambda: PermissionDenied("because of this table"),
    "model": lambda: ModelValidationError({"timezone": ["No such zone."], "__all__": ["Not together."]}),
    "model-sentence": lambda: ModelValidationError("Not like this."),
    "plain-validation": lambda: exceptions.ValidationError("Not like this."),
    "coded": lambda: exceptions.NotFound("There is no such turn.", code="unknown_turn"),
    "throttled": lambda: exceptions.Throttled(wait=1.2),
    "throttled-for-good": exceptions.Throttled,
    "login": LoginFailed,
    "suspicious": lambda: SuspiciousOperation("the key of alice is s3cret"),
    "bad": lambda: BadRequest("the key of alice is s3cret"),
    "too-big": RequestDataTooBig,
    "no-key": lambda: MissingMasterKey("s3cret"),
    "gone": AccountGone,
    "account": lambda: AccountError("the key of alice is s3cret"),
    "unforeseen": lambda: RuntimeError("the key of alice is s3cret"),
    "bare": exceptions.APIException,
    "dict": lambda: Busy({"queue": ["It is full."]}),
}


class FailingView(APIView):
    permission_classes = (AllowAny,)

    def get(self, request: Request, name: str) -> Response:
        error = ERRORS[name]()
        raise error


class EchoView(APIView):
    permission_classes = (AllowAny,)

    def post(self, request: Request) -> Response:
        return Response(request.data)


class ItemsView(APIView):
    permission_classes = (AllowAny,)

    def post(self, request: Request) -> Response:
        asked = ListSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        return Response(asked.validated_data)


class PrivateView(APIView):
    def get(self, request: Request) -> Response:
        return Response({"user": str(request.user)})


def plain(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the key of alice is s3cret")


def plain_denied(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


urlpatterns = [
    path("api/failing/<name>", FailingView.as_view()),
    path("api/echo", EchoView.as_view()),
    path("api/items", ItemsView.as_view()),
    path("api/private", PrivateView.as_view()),
    path("api/plain", plain),
    path("api/plain-denied", plain_denied),
    path("plain", plain),
    path("plain-denied", plain_denied),
]
handler400 = "accounts.rest.errors.bad_request"
handler403 = "accounts.rest.errors.permission_denied"
handler404 = "accounts.rest.errors.not_found"
handler500 = "accounts.rest.errors.server_error"
