/**
 * Spark jobs under faults that are common in issue reports of remote shuffle services. Servers,
 * driver and executors are real processes; each fault is injected at an exact point. {@link
 * io.sluice.it.faults.Expectation} is the table of tasks that may be repeated.
 */
package io.sluice.it.faults;
