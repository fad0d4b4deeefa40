/**
 * MapReduce jobs on a mini cluster of YARN, with Hadoop's own shuffle and through Sluice's
 * processes. Nothing of Hadoop is on the class path of these tests.
 */
package io.sluice.it.mapreduce;
