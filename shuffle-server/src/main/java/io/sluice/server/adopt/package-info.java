/**
 * Adoption: this server serves the runs of a lost server on the remote tier that both share ({@code
 * docs/decisions/0027-adopted-runs.md}). One thread reads the footers of the runs; requests of
 * coordinators only add to its queue.
 */
package io.sluice.server.adopt;
