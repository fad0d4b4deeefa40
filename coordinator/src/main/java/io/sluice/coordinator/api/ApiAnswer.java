package io.sluice.coordinator.api;

/**
 * An answer of the REST API.
 *
 * @param status HTTP status
 * @param body JSON
 * @param allow allowed methods of the path if the status is 405; otherwise empty
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record ApiAnswer(int status, String contentType, byte[] body, String allow) {}
