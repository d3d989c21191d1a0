"""What everything else stands on."""
