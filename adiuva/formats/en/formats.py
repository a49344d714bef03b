"""Times as logs have them, which staff compare them with: to the second, in an order that sorts."""

DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = "Y-m-d H:i:s"
