package io.sluice.coordinator.api;

/**
 * What goes back.
 *
 * @param status of HTTP
 * @param body JSON
 * @param allow methods that the path knows, if the status is 405; else empty
 */
@SuppressWarnings("ArrayRecordComponent") // Bytes on their way; never compared.
public record ApiAnswer(int status, String contentType, byte[] body, String allow) {}
