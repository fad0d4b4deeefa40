/** The map side: sorted map output on its way to the servers. */
package io.sluice.mr.write;
