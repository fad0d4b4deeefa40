/**
 * Who may do what: keys, tokens, proofs, on both sides of every protocol ({@code
 * docs/decisions/0013}, {@code docs/security.md}), and the audit log of changes and denials.
 * Nothing here prints a secret. Classes are immutable or thread-safe; none has a thread. Formats
 * are in {@code docs/formats.md}.
 */
package io.sluice.common.auth;
