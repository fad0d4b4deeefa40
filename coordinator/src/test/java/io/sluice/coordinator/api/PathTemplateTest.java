package io.sluice.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PathTemplateTest {
  private final PathTemplate template = new PathTemplate("/api/v1/servers/{server}");

  @Test
  void readsDecodedNames() throws ApiException {
    assertThat(template.match("/api/v1/servers/a%3A1%2Fb+c")).contains(Map.of("server", "a:1/b+c"));
  }

  @Test
  void matchesNothingLongerShorterOrEmpty() throws ApiException {
    assertThat(template.match("/api/v1/servers")).isEmpty();
    assertThat(template.match("/api/v1/servers/")).isEmpty();
    assertThat(template.match("/api/v1/servers/a/b")).isEmpty();
    assertThat(template.match("/api/v1/applications/a")).isEmpty();
  }

  @Test
  void refusesInvalidPercentEncoding() {
    assertThatThrownBy(() -> template.match("/api/v1/servers/%zz"))
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.status()).isEqualTo(400));
    assertThatThrownBy(() -> PathTemplate.query("server=%f")).isInstanceOf(ApiException.class);
  }

  @Test
  void keepsThePlusOfAUserName() throws ApiException {
    assertThat(PathTemplate.query("user=svc+etl@CORP$&text=a%20b%2Bc"))
        .isEqualTo(Map.of("user", "svc+etl@CORP$", "text", "a b+c"));
    assertThat(template.match("/api/v1/servers/svc+etl@CORP$~app"))
        .contains(Map.of("server", "svc+etl@CORP$~app"));
  }

  @Test
  void readsAQuery() throws ApiException {
    assertThat(PathTemplate.query("limit=5&server=a%3A1&x=&=y&z"))
        .isEqualTo(Map.of("limit", "5", "server", "a:1", "x", ""));
    assertThat(PathTemplate.query(null)).isEmpty();
  }
}
