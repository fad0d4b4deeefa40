package io.sluice.common.auth;

/**
 * A change that an operator has made, or was not allowed to make.
 *
 * @param call what was asked for: method and path
 * @param outcome {@code OK}, or the status that the caller was given
 * @param caller as proved
 * @param peer address and port of the caller
 * @param reason why it was refused; empty: it was not
 */
public record AdminEntry(String call, String outcome, String caller, String peer, String reason) {}
