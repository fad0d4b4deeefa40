/**
 * Authentication and authorization: keys, tokens and proofs, on both sides of every protocol
 * ({@code docs/decisions/0013}, {@code docs/security.md}), and the audit log of changes and
 * denials. No class prints a secret. Classes are immutable or thread-safe; none has a thread.
 * Formats are in {@code docs/formats.md}.
 */
package io.sluice.common.auth;
