/**
 * Applications: who registered, until when their lease runs, and which shuffles they registered
 * last. Immutable values, safe to read from any thread. Knows nothing of servers.
 */
package io.sluice.coordinator.app;
