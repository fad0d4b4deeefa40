/**
 * Jobs that integration tests run on a cluster, and {@code RecordedRequests} for its resource
 * manager. They do not depend on Sluice.
 */
package io.sluice.it.mapreduce.jobs;
