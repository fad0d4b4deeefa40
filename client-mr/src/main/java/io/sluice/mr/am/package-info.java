/**
 * The application master's side: registers the job, passes the assignment to containers, and adds
 * output locations to completion events.
 */
package io.sluice.mr.am;
