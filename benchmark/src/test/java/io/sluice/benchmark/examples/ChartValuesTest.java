package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialects;
import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Values for the Helm chart in a page are values that the chart accepts. */
class ChartValuesTest {
  private final Schema schema =
      SchemaRegistry.withDialect(Dialects.getDraft7())
          .getSchema(Checkout.text("deploy/helm/sluice/values.schema.json"), InputFormat.JSON);

  @Test
  void chartAcceptsValues() {
    List<Example> values =
        Examples.marked(Example.Mark.CHECK).stream()
            .filter(example -> example.language().equals("yaml"))
            .toList();
    assertThat(values).isNotEmpty();
    for (Example example : values) {
      assertThat(errors(example.text())).as(example.where()).isEmpty();
    }
  }

  @Test
  void wrongValuesAreFound() {
    assertThat(errors("server: {replica: 3}")).isNotEmpty();
    assertThat(errors("server: {replicas: three}")).isNotEmpty();
    assertThat(errors("servers: {replicas: 3}")).isNotEmpty();
  }

  private List<Error> errors(String yaml) {
    return schema.validate(yaml, InputFormat.YAML);
  }
}
