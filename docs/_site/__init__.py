"""What the site is made with: commands that are run, figures that are drawn, and pages that the code itself says."""
