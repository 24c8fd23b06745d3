"""The version, which scripts/package writes."""

version = "0.0.0"
