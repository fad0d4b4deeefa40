/**
 * TLS 1.3 with PEM files that are reloaded when they change. All classes are thread-safe; none has
 * a thread.
 */
package io.sluice.common.tls;
