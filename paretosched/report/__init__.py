"""Pages and files of comparisons and figures."""

from .comparison_report import write_report
from .figure_files import export_figures, write_figure
from .html_page import write_figures, write_gallery

__all__ = ["export_figures", "write_figure", "write_figures", "write_gallery", "write_report"]
