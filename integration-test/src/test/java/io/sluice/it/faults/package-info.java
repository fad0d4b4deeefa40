/**
 * What a Spark job makes of every fault that issue after issue of such systems tells of: real
 * servers, driver and executors in processes of their own, one fault each at an exact point. {@link
 * io.sluice.it.faults.Expectation} is the table of what may be computed again.
 */
package io.sluice.it.faults;
