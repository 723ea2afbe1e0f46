package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.extent.ExtentCoding;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A digest of all that an object reaches, by reflection: equal digests mean objects that do the same from now on. Maps and
 * collections count in the order of their iteration. Objects that are not values are told apart by identity: where two places
 * share one, this is part of the digest. Errs on the side of different.
 */
final class StateDigest {
    private static final ClassValue<List<Field>> FIELDS = new ClassValue<>() {
        @Override
        protected List<Field> computeValue(Class<?> type) {
            return fieldsOf(type);
        }
    };

    private final ByteArrayOutputStream out = new ByteArrayOutputStream(1_024);
    private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();

    private StateDigest() {}

    /** SHA-256. */
    static Bytes of(Object root) {
        StateDigest digest = new StateDigest();
        digest.add(root);
        try {
            return Bytes.of(MessageDigest.getInstance("SHA-256").digest(digest.out.toByteArray()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private void add(@Nullable Object object) {
        switch (object) {
            case null -> out.write(0);
            case Bytes bytes -> {
                out.write(1);
                number(bytes.length());
                out.write(bytes.array(), bytes.offset(), bytes.length());
            }
            case Number value -> text(2, value.getClass().getName() + value);
            case String value -> text(3, value);
            case Boolean value -> text(4, value.toString());
            case Enum<?> value -> text(5, value.getDeclaringClass().getName() + value.name());
            case Optional<?> value -> {
                out.write(6);
                add(value.orElse(null));
            }
            // These never change during a party's life, and are too large to digest.
            case ExtentCoding _, BlockCode _ -> out.write(8);
            case Record value -> fields(7, value);
            case PairwiseKeys _ -> out.write(9);
            case Class<?> value -> text(10, value.getName());
            default -> addObject(object);
        }
    }

    private void addObject(Object object) {
        Integer before = seen.putIfAbsent(object, seen.size());
        if (before != null) {
            out.write(11);
            number(before);
            return;
        }
        switch (object) {
            case byte[] bytes -> {
                out.write(12);
                number(bytes.length);
                out.writeBytes(bytes);
            }
            case Map<?, ?> map -> {
                text(13, map.getClass().getName());
                number(map.size());
                map.forEach((key, value) -> {
                    add(key);
                    add(value);
                });
            }
            case Collection<?> collection -> {
                text(14, collection.getClass().getName());
                number(collection.size());
                collection.forEach(this::add);
            }
            default -> {
                if (object.getClass().isArray()) {
                    text(15, object.getClass().getName());
                    number(Array.getLength(object));
                    for (int i = 0; i < Array.getLength(object); i++) {
                        add(Array.get(object, i));
                    }
                } else {
                    fields(16, object);
                }
            }
        }
    }

    private void fields(int tag, Object object) {
        Class<?> type = object.getClass();
        if (!type.getName().startsWith("io.bulwark.")) {
            throw new IllegalStateException("no digest of " + type);
        }
        text(tag, type.getName());
        for (Field field : FIELDS.get(type)) {
            try {
                add(field.get(object));
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(field.toString(), e);
            }
        }
    }

    private static List<Field> fieldsOf(Class<?> type) {
        ArrayDeque<Class<?>> types = new ArrayDeque<>();
        for (Class<?> up = type; up != null && up != Object.class && up != Record.class; up = up.getSuperclass()) {
            types.addFirst(up);
        }
        List<Field> fields = new ArrayList<>();
        for (Class<?> up : types) {
            for (Field field : up.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return List.copyOf(fields);
    }

    private void text(int tag, String text) {
        out.write(tag);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        out.writeBytes(bytes);
    }

    private void number(int number) {
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
    }
}
