"""What evolution varies, and how that becomes a policy or a schedule; one module an encoding."""
