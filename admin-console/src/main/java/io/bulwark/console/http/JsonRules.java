package io.bulwark.console.http;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import java.util.List;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Rules for the JSON that clients send. */
@Configuration(proxyBeanMethods = false)
class JsonRules {
    /** No list of the API has null elements, so none of its readers expects one. */
    @Bean
    JsonMapperBuilderCustomizer lists() {
        return builder -> builder.withConfigOverride(
                List.class, lists -> lists.setNullHandling(JsonSetter.Value.forContentNulls(Nulls.FAIL)));
    }
}
