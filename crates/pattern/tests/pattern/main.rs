//! Patterns against closed forms, and their files.

mod closed_forms;
mod damaged;
mod files;
mod reference;
