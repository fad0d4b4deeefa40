/**
 * TLS 1.3 from PEM files that are read again when they change. Everything is thread-safe; nothing
 * has a thread.
 */
package io.sluice.common.tls;
