/** Process of the YARN mini cluster, which runs with Hadoop's class path only. */
package io.sluice.demo.mapreduce;
