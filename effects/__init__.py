"""The only code that touches disk, network, models, environment or clock."""
