/**
 * What the operator wants jobs to be configured with: a file, read again while the coordinator
 * runs. Immutable values, read by any thread.
 */
package io.sluice.coordinator.clientconf;
