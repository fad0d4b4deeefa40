/** In-memory shuffle servers and a transport with injected faults, for tests. */
package io.sluice.client.fake;
