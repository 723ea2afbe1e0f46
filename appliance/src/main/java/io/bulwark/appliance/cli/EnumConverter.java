package io.bulwark.appliance.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The constants of an enum as they are typed: in lower case. */
record EnumConverter<E extends Enum<E>>(Class<E> type) implements ITypeConverter<E> {
    @Override
    public E convert(String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> of(constant).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("\"" + text + "\" is none of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(EnumConverter::of)
                                .collect(Collectors.joining(", "))));
    }

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
