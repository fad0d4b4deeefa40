/** Reading through real processes: short circuits, disks that fail. */
package io.sluice.it.read;
