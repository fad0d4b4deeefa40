/** The reduce side: segments from the servers on their way to Hadoop's merge. */
package io.sluice.mr.read;
