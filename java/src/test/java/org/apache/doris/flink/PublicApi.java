package org.apache.doris.flink;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/** What code outside of a connector's jar can refer to in it, read without loading a class. */
final class PublicApi {

    private static final String ROOT = "org/apache/doris/flink/";
    private static final int VISIBLE = Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED;
    private static final int KIND = Opcodes.ACC_INTERFACE | Opcodes.ACC_ENUM;

    private final Map<String, Api> types = new TreeMap<>();

    private PublicApi() {}

    /** Of a jar. */
    static PublicApi of(String jar) throws IOException {
        PublicApi api = new PublicApi();
        try (JarFile file = new JarFile(jar)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                if (entry.getName().startsWith(ROOT) && entry.getName().endsWith(".class")) {
                    try (InputStream in = file.getInputStream(entry)) {
                        Api type = new Api();
                        new ClassReader(in)
                                .accept(
                                        type,
                                        ClassReader.SKIP_CODE
                                                | ClassReader.SKIP_DEBUG
                                                | ClassReader.SKIP_FRAMES);
                        api.types.put(type.name, type);
                    }
                }
            }
        }
        return api;
    }

    /** Names of the types that code outside can see. */
    Set<String> names() {
        return types.values().stream()
                .filter(this::isVisible)
                .map(type -> shown(type.name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * What code that was compiled against a type of this jar misses in the other one, in words: the
     * type itself, a supertype, a member.
     */
    List<String> missingIn(PublicApi other, String shown) {
        Api type = types.get(ROOT + shown.replace('.', '/'));
        Api there = other.types.get(type.name);
        if (there == null || !other.isVisible(there)) {
            return List.of(shown);
        }
        List<String> missing = new ArrayList<>();
        if ((type.access & KIND) != (there.access & KIND)) {
            missing.add(shown + " is another kind of type");
        }
        int closing = Opcodes.ACC_FINAL | Opcodes.ACC_ABSTRACT;
        if ((there.access & closing & ~type.access) != 0) {
            missing.add(shown + " is final or abstract");
        }
        if (type.parameters != there.parameters) {
            missing.add(shown + " has other type parameters");
        }
        Set<String> supertypes = other.supertypes(there);
        type.supertypes.stream()
                .filter(name -> !supertypes.contains(name))
                .forEach(name -> missing.add(shown + " is a " + shortName(name)));
        type.members.forEach(
                (key, member) -> {
                    Member found = other.find(there, key);
                    if (found == null || !found.serves(member)) {
                        missing.add(shown + "." + member.shown);
                    }
                });
        // Whoever implements the type does not implement what it has more.
        there.members.forEach(
                (key, member) -> {
                    if (member.isAbstract() && !type.members.containsKey(key)) {
                        missing.add(shown + " lacks an implementation of " + member.shown);
                    }
                });
        return missing;
    }

    private boolean isVisible(Api type) {
        if ((type.access & VISIBLE) == 0) {
            return false;
        }
        int nested = type.name.lastIndexOf('$');
        return nested < 0 || isVisible(types.get(type.name.substring(0, nested)));
    }

    private Set<String> supertypes(Api type) {
        Set<String> all = new LinkedHashSet<>(type.supertypes);
        for (String name : type.supertypes) {
            if (types.containsKey(name)) {
                all.addAll(supertypes(types.get(name)));
            }
        }
        return all;
    }

    private Member find(Api type, String key) {
        Member found = type.members.get(key);
        // Constructors are not inherited.
        if (found == null && !key.startsWith("<init>")) {
            for (String name : type.supertypes) {
                if (found == null && types.containsKey(name)) {
                    found = find(types.get(name), key);
                }
            }
        }
        return found;
    }

    private static String shown(String name) {
        return name.substring(ROOT.length()).replace('/', '.');
    }

    private static String shortName(String name) {
        return name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('.')) + 1);
    }

    /** A type with its visible members. */
    private static final class Api extends ClassVisitor {

        private final Map<String, Member> members = new TreeMap<>();
        private final Set<String> supertypes = new LinkedHashSet<>();
        private String name;
        private int access;
        private long parameters;

        private Api() {
            super(Opcodes.ASM9);
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                String signature,
                String superName,
                String[] interfaces) {
            this.name = name;
            this.access = access;
            supertypes.add(superName);
            supertypes.addAll(Arrays.asList(interfaces));
            // `<A:Ljava/lang/Object;B:…>` before the supertypes.
            parameters =
                    signature == null || !signature.startsWith("<")
                            ? 0
                            : signature.substring(0, signature.indexOf(">L")).split(":L").length
                                    - 1;
        }

        /** The file of a nested type has the access that the compiler needs, this the declared. */
        @Override
        public void visitInnerClass(String inner, String outer, String innerName, int declared) {
            if (inner.equals(name)) {
                access = outer == null ? 0 : declared;
            }
        }

        @Override
        public FieldVisitor visitField(
                int flags, String name, String descriptor, String signature, Object value) {
            add(flags, name + ":" + descriptor, new Member(flags, name, List.of(), value));
            return null;
        }

        @Override
        public MethodVisitor visitMethod(
                int flags, String name, String descriptor, String signature, String[] exceptions) {
            String parameters =
                    Arrays.stream(Type.getArgumentTypes(descriptor))
                            .map(type -> shortName(type.getClassName()))
                            .collect(Collectors.joining(", "));
            String type = shortName(this.name).replaceFirst(".*\\$", "");
            add(
                    flags,
                    name + descriptor,
                    new Member(
                            flags,
                            (name.equals("<init>") ? type : name) + "(" + parameters + ")",
                            exceptions == null ? List.of() : Arrays.asList(exceptions),
                            null));
            return null;
        }

        private void add(int flags, String key, Member member) {
            if ((flags & VISIBLE) != 0 && (flags & Opcodes.ACC_SYNTHETIC) == 0) {
                members.put(key, member);
            }
        }
    }

    /** A field, a method or a constructor. */
    private static final class Member {

        private final int flags;
        private final String shown;
        private final List<String> exceptions;
        private final Object value;

        private Member(int flags, String shown, List<String> exceptions, Object value) {
            this.flags = flags;
            this.shown = shown;
            this.exceptions = exceptions;
            this.value = value;
        }

        private boolean isAbstract() {
            return (flags & Opcodes.ACC_ABSTRACT) != 0;
        }

        /** Whether code that uses the other one can use this one in its place. */
        private boolean serves(Member other) {
            boolean visible = (flags & Opcodes.ACC_PUBLIC) >= (other.flags & Opcodes.ACC_PUBLIC);
            boolean bound = (flags & Opcodes.ACC_STATIC) == (other.flags & Opcodes.ACC_STATIC);
            boolean open = (flags & Opcodes.ACC_FINAL & ~other.flags) == 0;
            boolean value = other.value == null || other.value.equals(this.value);
            return visible
                    && bound
                    && open
                    && value
                    && (!isAbstract() || other.isAbstract())
                    && Set.copyOf(exceptions).equals(Set.copyOf(other.exceptions));
        }
    }
}
