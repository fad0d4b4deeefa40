/**
 * Jobs that integration tests run on a cluster, and {@code RecordedRequests} of its resource
 * manager; they know nothing of Sluice.
 */
package io.sluice.it.mapreduce.jobs;
