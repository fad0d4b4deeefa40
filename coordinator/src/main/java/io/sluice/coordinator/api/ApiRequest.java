package io.sluice.coordinator.api;

import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decoded parts of a request, for the handler of a route.
 *
 * @param path decoded path parameters by name
 * @param query decoded query parameters by name; the last value of a repeated one
 * @param body JSON; may be empty
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record ApiRequest(Map<String, String> path, Map<String, String> query, byte[] body) {
  private static final JsonMapper STRICT =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  String path(String name) {
    return path.get(name);
  }

  String query(String name) {
    return query.getOrDefault(name, "");
  }

  /**
   * Parses the body.
   *
   * @param none value of an empty body
   * @param form the expected form, for the error message
   * @throws ApiException 400 if the body has another form
   */
  <T> T body(Class<T> type, T none, String form) throws ApiException {
    if (body.length == 0) {
      return none;
    }
    try {
      T value = STRICT.readValue(body, type);
      if (value != null) {
        return value;
      }
    } catch (JacksonException e) {
      throw new ApiException(400, "body: expected " + form, e);
    }
    throw new ApiException(400, "body: expected " + form);
  }

  /**
   * Parses an optional query parameter as an integer.
   *
   * @throws ApiException 400 if it is not an integer in the range
   */
  long number(String name, long defaultValue, long min, long max) throws ApiException {
    return query.containsKey(name) ? parse(name, query.get(name), min, max) : defaultValue;
  }

  /** Parses a path parameter as an integer; see {@link #number}. */
  long pathNumber(String name, long max) throws ApiException {
    return parse(name, path.get(name), 0, max);
  }

  private static long parse(String name, String text, long min, long max) throws ApiException {
    try {
      long value = Long.parseLong(text);
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, min, max, e);
    }
    throw wrong(name, min, max, null);
  }

  private static ApiException wrong(String name, long min, long max, Throwable cause) {
    return new ApiException(400, name + ": expected an integer from " + min + " to " + max, cause);
  }
}
