//! Phasefront results: tables, arrays, plots, result.json and report.html
