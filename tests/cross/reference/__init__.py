"""References for the gallery, by other methods than those of phasefront and with nothing of its code."""
