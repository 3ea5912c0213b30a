"""Series: approximations near a point, read off the models that prove their bounds."""
