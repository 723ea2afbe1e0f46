package io.bulwark.console;

import com.fasterxml.jackson.databind.JavaType;
import io.swagger.v3.core.jackson.ModelResolver;
import io.swagger.v3.core.jackson.TypeNameResolver;
import io.swagger.v3.oas.models.media.JsonSchema;
import io.swagger.v3.oas.models.media.Schema;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Schemas of the records in the description of the API: their names, and which of their fields may be missing or null. */
@Configuration(proxyBeanMethods = false)
class ApiSchemas {
    private static final String NULL = "null";

    /** One converter of the process, as springdoc keeps them: that of one console serves all. */
    private static final Names NAMES = new Names();

    /** First of the converters, as each later one is asked before it. */
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    ModelResolver schemas(ObjectMapperProvider mappers) {
        return new ModelResolver(mappers.jsonMapper(), NAMES).openapi31(true);
    }

    @Bean
    Names names() {
        return NAMES;
    }

    /**
     * Names types with those around them: records of several controllers are called {@code View}, and one would be described as
     * another.
     */
    static final class Names extends TypeNameResolver {
        private final Map<String, Class<?>> records = new ConcurrentHashMap<>();

        @Override
        protected String getNameOfClass(Class<?> type) {
            Class<?> around = type.getEnclosingClass();
            return around == null ? type.getSimpleName() : getNameOfClass(around) + type.getSimpleName();
        }

        @Override
        public String nameForType(JavaType type, Set<Options> options) {
            String name = super.nameForType(type, options);
            if (type.getRawClass().isRecord()) {
                records.put(name, type.getRawClass());
            }
            return name;
        }

        /** Marks fields that are always there as required, and others as nullable. */
        void mark(String name, Schema<?> schema) {
            Class<?> type = records.get(name);
            if (type == null || schema.getProperties() == null) {
                return;
            }
            List<String> required = new ArrayList<>();
            for (RecordComponent field : type.getRecordComponents()) {
                Schema<?> described = schema.getProperties().get(field.getName());
                if (described == null) {
                    continue;
                }
                markElements(field.getAnnotatedType(), described);
                if (!field.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
                    required.add(field.getName());
                } else if (described.get$ref() != null) {
                    schema.getProperties().put(field.getName(), nullable(described));
                } else if (described.getTypes() != null) {
                    described.addType(NULL);
                }
            }
            schema.setRequired(required.isEmpty() ? null : required);
        }

        /** A list may have gaps, such as a plot has. */
        private static void markElements(AnnotatedType type, Schema<?> described) {
            Schema<?> elements = described.getItems();
            if (elements != null
                    && elements.getTypes() != null
                    && type instanceof AnnotatedParameterizedType list
                    && list.getAnnotatedActualTypeArguments()[0].isAnnotationPresent(Nullable.class)) {
                elements.addType(NULL);
            }
        }

        private static Schema<?> nullable(Schema<?> described) {
            Schema<?> none = new JsonSchema().types(Set.of(NULL));
            return new JsonSchema().anyOf(List.of(described, none));
        }
    }
}
