;; UNTESTED: written from Guix's manual, never run. From a checkout:
;;   guix build -f sim/package/guix.scm
;; SimGrid comes from the channel guix-hpc (https://hpc.guix.info), which has to be among yours;
;; two small libraries that Guix has no package of are built from their repositories.
(use-modules (guix build-system cmake)
             (guix build-system gnu)
             (guix gexp)
             (guix git)
             (guix git-download)
             ((guix licenses) #:prefix license:)
             (guix packages)
             (gnu packages))

(define top (dirname (dirname (dirname (current-filename)))))

(define sqlitecpp
  (package
    (name "sqlitecpp")
    (version "3.3.1")
    (source (git-checkout (url "https://github.com/SRombauts/SQLiteCpp") (commit version)))
    (build-system cmake-build-system)
    (arguments '(#:tests? #f
                 #:configure-flags '("-DSQLITECPP_INTERNAL_SQLITE=OFF" "-DBUILD_SHARED_LIBS=ON")))
    (propagated-inputs (list (specification->package "sqlite")))
    (home-page "https://srombauts.github.io/SQLiteCpp")
    (synopsis "SQLite from C++")
    (description "SQLiteC++ wraps the C interface of SQLite.")
    (license license:expat)))

(define libcsv
  (package
    (name "libcsv")
    (version "3.0.3")
    (source (git-checkout (url "https://github.com/rgamble/libcsv")))
    (build-system gnu-build-system)
    (home-page "https://github.com/rgamble/libcsv")
    (synopsis "Reads and writes CSV")
    (description "libcsv is a small CSV library in C.")
    (license license:lgpl2.1+)))

(package
  (name "starport")
  (version "0.1.0")
  (source (local-file top "starport-checkout" #:recursive? #t
                      #:select? (or (git-predicate top) (const #t))))
  (build-system cmake-build-system)
  (arguments '(#:tests? #f #:configure-flags '("-DBUILD_TESTING=OFF")))
  (native-inputs
   (map specification->package
        '("pkg-config" "python" "valijson" "gcc-toolchain@12")))
  (inputs
   (append (list sqlitecpp libcsv)
           (map specification->package
                '("boost" "fmt@9" "nlohmann-json" "openblas" "openmpi" "openssl"
                  "simgrid" "xxhash" "zlib"))))
  (propagated-inputs (list (specification->package "gnuplot")))
  (home-page "")
  (synopsis "Schedules of matrix products on heterogeneous platforms")
  (description "Starport simulates schedules of the matrix product on workers that differ in
speed, link and memory, compares them, and bounds how far each is from the best possible.")
  (license license:asl2.0))
