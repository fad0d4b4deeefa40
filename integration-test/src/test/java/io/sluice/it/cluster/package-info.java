/** Processes of Sluice inside a test's own JVM. */
package io.sluice.it.cluster;
