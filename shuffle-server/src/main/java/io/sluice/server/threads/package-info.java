/**
 * Background threads of the server: one per disk and one per planner, and the limit for the rate of
 * their bytes. Depends on no other package of the server.
 */
package io.sluice.server.threads;
