/**
 * What a process holds of direct memory for its shuffles. Counts only; knows nothing of pushes and
 * reads.
 */
package io.sluice.client.memory;
