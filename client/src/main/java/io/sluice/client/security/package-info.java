/** Who this client is, where servers and coordinators ask. Thread-safe; no threads. */
package io.sluice.client.security;
