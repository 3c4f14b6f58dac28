"""What evolution varies, and how that becomes a schedule; one module an encoding."""
