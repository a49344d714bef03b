"""``/api/v1/devices``: one's own devices, and removing one."""

from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import documentation
from accounts.devices import remove_device
from accounts.models import Device
from accounts.rest.callers import user_of
from accounts.serializers import DeviceSerializer


class DevicesView(APIView):
    @documentation.devices
    def get(self, request: Request) -> Response:
        devices = Device.objects.for_user(user_of(request).id).present().order_by("-last_seen", "id")
        return Response(DeviceSerializer(devices, many=True).data)


class DeviceView(APIView):
    @documentation.remove_device
    def delete(self, request: Request, device: UUID) -> Response:
        # Another's device and one that is removed read like one that never was.
        remove_device(get_object_or_404(Device.objects.for_user(user_of(request).id).present(), id=device))
        return Response(status=status.HTTP_204_NO_CONTENT)
