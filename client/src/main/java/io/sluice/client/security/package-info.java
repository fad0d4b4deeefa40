/** Authentication of the client to servers and coordinators. Thread-safe; starts no threads. */
package io.sluice.client.security;
