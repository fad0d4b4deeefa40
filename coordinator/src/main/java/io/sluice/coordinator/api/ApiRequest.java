package io.sluice.coordinator.api;

import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a route needs of a request.
 *
 * @param path the values of the template's names, decoded
 * @param query parameters, decoded; of a repeated one the last
 * @param body JSON, or empty
 */
@SuppressWarnings("ArrayRecordComponent") // Bytes on their way; never compared.
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
   * The body.
   *
   * @param none what an empty body means
   * @param form what would be right, for the message
   * @throws ApiException 400
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
   * A whole number.
   *
   * @throws ApiException 400
   */
  long number(String name, long byDefault, long least, long most) throws ApiException {
    return query.containsKey(name) ? parse(name, query.get(name), least, most) : byDefault;
  }

  /** As {@link #number}, of the path. */
  long pathNumber(String name, long most) throws ApiException {
    return parse(name, path.get(name), 0, most);
  }

  private static long parse(String name, String text, long least, long most) throws ApiException {
    try {
      long value = Long.parseLong(text);
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, least, most, e);
    }
    throw wrong(name, least, most, null);
  }

  private static ApiException wrong(String name, long least, long most, Throwable cause) {
    return new ApiException(
        400, name + ": expected a whole number from " + least + " to " + most, cause);
  }
}
