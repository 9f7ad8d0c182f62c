package bot;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A JSON value as it was read, or none: what is absent or of another type than expected reads as null, 0, false, an
 * empty string or an empty list. So a message with more or less than this kit knows does no harm.
 */
final class Json {
    /** A text that is not JSON; the message says what is wrong and where. */
    static final class Invalid extends Exception {
        private static final long serialVersionUID = 1;

        Invalid(String problem, int at) {
            super(problem + " at character " + at);
        }
    }

    private static final Json ABSENT = new Json(null);
    private static final int DEEPEST = 500;

    /** A Map, List, String, Long, Double or Boolean; null for null and for what is absent. */
    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    /** Reads the JSON of RFC 8259 from bytes of UTF-8. Where a key comes twice, the last one counts. */
    static Json parse(byte[] utf8) throws Invalid {
        try {
            return parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
        } catch (CharacterCodingException error) {
            throw new Invalid("no UTF-8", 0);
        }
    }

    static Json parse(String text) throws Invalid {
        Parser parser = new Parser(text);
        Object value = parser.value(0);
        if (parser.at < text.length()) {
            throw parser.invalid("something follows");
        }
        return new Json(value);
    }

    /** A string as JSON, in quotes. */
    static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    // -- what it is ---------------------------------------------------------------------------------------------------

    boolean isNull() {
        return value == null;
    }

    boolean isObject() {
        return value instanceof Map;
    }

    /** The field of an object. */
    Json get(String key) {
        return value instanceof Map<?, ?> fields && fields.get(key) instanceof Json field ? field : ABSENT;
    }

    int asInt() {
        return (int) asLong();
    }

    long asLong() {
        return value instanceof Number number ? number.longValue() : 0;
    }

    double asDouble() {
        return value instanceof Number number ? number.doubleValue() : 0;
    }

    boolean asBoolean() {
        return Boolean.TRUE.equals(value);
    }

    String asString() {
        return value instanceof String text ? text : "";
    }

    <T> List<T> asList(Function<Json, T> read) {
        List<T> list = new ArrayList<>();
        if (value instanceof List<?> items) {
            for (Object item : items) {
                list.add(read.apply((Json) item));
            }
        }
        return list;
    }

    <T> Map<String, T> asMap(Function<Json, T> read) {
        Map<String, T> map = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> fields) {
            fields.forEach((key, field) -> map.put((String) key, read.apply((Json) field)));
        }
        return map;
    }

    /** In a record: a component that is all of the object, and not one of its fields. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Whole {}

    /** A record with the fields of this object that its components are named after; null if this is null. */
    <T> T as(Class<T> type) {
        return type.cast(as(type, ABSENT));
    }

    /** A value of any type of Messages.java; `around` is the object of which it is a part. */
    private Object as(Type wanted, Json around) {
        if (wanted instanceof ParameterizedType generic) {
            Type[] inner = generic.getActualTypeArguments();
            return inner.length == 1
                    ? asList(each -> each.as(inner[0], around))
                    : asMap(each -> each.as(inner[1], around));
        }
        Class<?> type = (Class<?>) wanted;
        if (type == Json.class) {
            return this;
        } else if (type == String.class) {
            return asString();
        } else if (type == boolean.class) {
            return asBoolean();
        } else if (type == long.class) {
            return asLong();
        } else if (type == int.class || (type == Integer.class && value != null)) {
            return asInt();
        } else if (value == null) {
            return null;
        }
        return Shape.of(type).make(this, around);
    }

    /** How values of a type with a name are made. */
    private interface Shape {
        Map<Class<?>, Shape> KNOWN = new ConcurrentHashMap<>();

        Object make(Json json, Json around);

        static Shape of(Class<?> type) {
            Shape known = KNOWN.get(type);
            if (known == null) {
                try {
                    known = type.isEnum() ? words(type) : type.isInterface() ? kinds(type) : components(type);
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
                KNOWN.put(type, known);
            }
            return known;
        }

        /** The constant that a word names, or UNKNOWN. */
        private static Shape words(Class<?> type) {
            Map<String, Object> words = new LinkedHashMap<>();
            for (Object each : type.getEnumConstants()) {
                words.put(each.toString().toLowerCase(Locale.ROOT), each);
            }
            return (json, around) -> words.getOrDefault(json.asString(), words.get("unknown"));
        }

        /** The kind that its own `type`, or the `decision` of the object around it, says. */
        private static Shape kinds(Class<?> type) {
            var kind = type.getDeclaredMethods()[0];
            return (json, around) -> {
                Json object = kind.getName().equals("type") ? json : around;
                try {
                    return json.as((Class<?>) kind.invoke(null, object.get(kind.getName()).asString()));
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
            };
        }

        private static Shape components(Class<?> type) throws ReflectiveOperationException {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] classes = new Class<?>[components.length];
            Type[] types = new Type[components.length];
            String[] names = new String[components.length]; // null for the whole
            for (int i = 0; i < components.length; i++) {
                classes[i] = components[i].getType();
                types[i] = components[i].getGenericType();
                names[i] = components[i].isAnnotationPresent(Whole.class)
                        ? null
                        : components[i].getName().replaceAll("[A-Z]", "_$0").toLowerCase(Locale.ROOT);
            }
            Constructor<?> constructor = type.getDeclaredConstructor(classes);
            return (json, around) -> {
                Object[] values = new Object[types.length];
                for (int i = 0; i < values.length; i++) {
                    values[i] = names[i] == null ? json : json.get(names[i]).as(types[i], json);
                }
                try {
                    return constructor.newInstance(values);
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
            };
        }
    }

    /** The same as JSON on one line. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (value instanceof Map<?, ?> fields) {
            fields.forEach((key, field) ->
                    text.append(text.isEmpty() ? "" : ",").append(quote((String) key)).append(':').append(field));
            return "{" + text + "}";
        }
        if (value instanceof List<?> items) {
            items.forEach(item -> text.append(text.isEmpty() ? "" : ",").append(item));
            return "[" + text + "]";
        }
        if (value instanceof Double number && number.isInfinite()) {
            return number > 0 ? "1e999" : "-1e999"; // too large for a double, but there is no word for that in JSON
        }
        return value instanceof String string ? quote(string) : String.valueOf(value);
    }

    // -- reading ------------------------------------------------------------------------------------------------------

    private static final class Parser {
        private final String text;
        private int at;

        Parser(String text) {
            this.text = text;
        }

        /** A value with the spaces around it; `depth` arrays and objects contain it. */
        Object value(int depth) throws Invalid {
            if (depth > DEEPEST) {
                throw invalid("too many levels");
            }
            skipSpace();
            Object value = switch (peek()) {
                case '{' -> object(depth);
                case '[' -> array(depth);
                case '"' -> string();
                case 't' -> word("true", true);
                case 'f' -> word("false", false);
                case 'n' -> word("null", null);
                default -> number();
            };
            skipSpace();
            return value;
        }

        private Map<String, Json> object(int depth) throws Invalid {
            Map<String, Json> fields = new LinkedHashMap<>();
            at++;
            skipSpace();
            if (accept('}')) {
                return fields;
            }
            do {
                skipSpace();
                if (peek() != '"') {
                    throw invalid("no key");
                }
                String key = string();
                skipSpace();
                expect(':');
                fields.put(key, new Json(value(depth + 1)));
            } while (accept(','));
            expect('}');
            return fields;
        }

        private List<Json> array(int depth) throws Invalid {
            List<Json> items = new ArrayList<>();
            at++;
            skipSpace();
            if (accept(']')) {
                return items;
            }
            do {
                items.add(new Json(value(depth + 1)));
            } while (accept(','));
            expect(']');
            return items;
        }

        private String string() throws Invalid {
            StringBuilder found = null; // only where something is escaped
            int start = ++at;
            while (peek() != '"') {
                char c = peek();
                if (c < ' ') {
                    throw invalid(at < text.length() ? "a control character" : "the end");
                }
                if (c == '\\') {
                    found = found == null ? new StringBuilder() : found;
                    found.append(text, start, at);
                    escape(found);
                    start = at;
                } else {
                    at++;
                }
            }
            String rest = text.substring(start, at++);
            return found == null ? rest : found.append(rest).toString();
        }

        private void escape(StringBuilder found) throws Invalid {
            at++;
            char c = peek();
            int place = "\"\\/bfnrt".indexOf(c);
            if (place >= 0) {
                found.append("\"\\/\b\f\n\r\t".charAt(place));
                at++;
            } else if (c == 'u') {
                char unit = hex();
                found.append(unit);
                if (Character.isHighSurrogate(unit)) {
                    expect('\\');
                    if (peek() != 'u') {
                        throw invalid("half of a surrogate pair");
                    }
                    char second = hex();
                    if (!Character.isLowSurrogate(second)) {
                        throw invalid("half of a surrogate pair");
                    }
                    found.append(second);
                } else if (Character.isLowSurrogate(unit)) {
                    throw invalid("half of a surrogate pair");
                }
            } else {
                throw invalid("no escape");
            }
        }

        /** The number behind the u at the current place. */
        private char hex() throws Invalid {
            int unit = 0;
            at++;
            for (int i = 0; i < 4; i++) {
                int digit = Character.digit(peek(), 16);
                if (digit < 0 || peek() > 'f') {
                    throw invalid("no escape");
                }
                unit = 16 * unit + digit;
                at++;
            }
            return (char) unit;
        }

        private Number number() throws Invalid {
            int start = at;
            accept('-');
            if (!accept('0')) {
                digits();
            }
            boolean whole = true;
            if (accept('.')) {
                whole = false;
                digits();
            }
            if (accept('e') || accept('E')) {
                whole = false;
                if (!accept('+')) {
                    accept('-');
                }
                digits();
            }
            String found = text.substring(start, at);
            if (whole && found.length() < 19) {
                return Long.valueOf(found);
            }
            return Double.valueOf(found);
        }

        private void digits() throws Invalid {
            if (peek() < '0' || peek() > '9') {
                throw invalid(at < text.length() ? "no value" : "the end");
            }
            while (peek() >= '0' && peek() <= '9') {
                at++;
            }
        }

        private Object word(String word, Object meaning) throws Invalid {
            if (!text.startsWith(word, at)) {
                throw invalid("no value");
            }
            at += word.length();
            return meaning;
        }

        /** The next character; a NUL at the end, which is allowed nowhere. */
        private char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private boolean accept(char wanted) {
            boolean accepted = peek() == wanted;
            at += accepted ? 1 : 0;
            return accepted;
        }

        private void expect(char wanted) throws Invalid {
            if (!accept(wanted)) {
                throw invalid("no " + wanted);
            }
        }

        private void skipSpace() {
            while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        private Invalid invalid(String problem) {
            return new Invalid(problem, at);
        }
    }
}
