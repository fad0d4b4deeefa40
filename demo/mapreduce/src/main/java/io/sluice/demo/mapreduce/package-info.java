/** What runs inside Hadoop's own class path: the process of the mini cluster. */
package io.sluice.demo.mapreduce;
