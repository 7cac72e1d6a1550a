//! Phasefront case files: data model, parsing with source spans, JSON schema
