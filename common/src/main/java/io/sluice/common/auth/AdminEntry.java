package io.sluice.common.auth;

/**
 * Audit entry of an admin operation, executed or refused.
 *
 * @param call HTTP method and path
 * @param outcome {@code OK}, or the status returned to the caller
 * @param caller authenticated caller
 * @param peer address and port of the caller
 * @param reason reason for the refusal; empty if executed
 */
public record AdminEntry(String call, String outcome, String caller, String peer, String reason) {}
