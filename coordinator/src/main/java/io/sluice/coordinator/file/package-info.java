/** Small files of the operator that are read again while the coordinator runs. */
package io.sluice.coordinator.file;
